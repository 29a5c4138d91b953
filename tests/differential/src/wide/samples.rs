//! Objects that have something for every step.

/// A few objects, in block style.
pub(super) const OBJECTS: &str = "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: cm
  labels:
    app: web
data:
  a: x
  b: \"1\"
  c: '2'
  d: |
    text
    more
  path: /a/b/c
  url: http://host:80/path
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels:
    app: web
  annotations:
    a/b: \"1\"
    note: old
  finalizers:
  - one
  - two
spec:
  replicas: 1
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      serviceAccountName: sa
      hostAliases:
      - ip: 1.2.3.4
        hostnames:
        - a
      topologySpreadConstraints:
      - topologyKey: zone
        whenUnsatisfiable: DoNotSchedule
        maxSkew: 1
      - topologyKey: zone
        whenUnsatisfiable: ScheduleAnyway
        maxSkew: 2
      imagePullSecrets:
      - name: pull
      initContainers:
      - name: i
        image: busybox
      containers:
      - name: c
        image: nginx:1.2
        command:
        - run
        args:
        - a
        - b
        env:
        - name: A
          value: b
        - name: B
          valueFrom:
            configMapKeyRef:
              name: cm
              key: a
        ports:
        - containerPort: 80
        - containerPort: 80
          protocol: UDP
        - name: m
          containerPort: 90
          protocol: TCP
        volumeMounts:
        - name: v
          mountPath: /a
        - name: v
          mountPath: /b
        resources:
          limits:
            cpu: 1
            memory: 64Mi
      - name: d
        image: reg:5000/app:v1@sha256:ab
      volumes:
      - name: v
        configMap:
          name: cm
      - name: s
        emptyDir: {}
      tolerations:
      - key: a
        operator: Exists
---
apiVersion: v1
kind: Service
metadata:
  name: svc
  namespace: x
spec:
  ports:
  - port: 80
    name: http
    targetPort: 8080
  - port: 53
    protocol: UDP
  - port: 53
    protocol: TCP
    name: dns
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: sa
secrets:
- name: s
- name: t
imagePullSecrets:
- name: p
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: rb
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: r
subjects:
- kind: ServiceAccount
  name: default
  namespace: q
- kind: ServiceAccount
  name: sa
  namespace: x
- kind: User
  name: default
- kind: ServiceAccount
  name: other
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: cr
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: wh
webhooks:
- name: a.example.com
  clientConfig:
    service:
      name: svc
      namespace: x
- name: b.example.com
---
apiVersion: example.com/v1
kind: Thing
metadata:
  name: th
  finalizers:
  - x
spec:
  list:
  - name: a
    value: 1
  - name: b
    value: 2
  prim:
  - 1
  - 2
  map:
    x: 1
    y: null
    z: \"\"
";
