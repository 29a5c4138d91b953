{{/* Labels of every object. */}}
{{- define "millrace.labels" -}}
app.kubernetes.io/instance: {{ .Release.Namespace }}
app.kubernetes.io/part-of: flux
app.kubernetes.io/version: {{ .Chart.AppVersion }}
{{- end }}

{{/* Labels of an object of one controller: (list $ "source-controller"). */}}
{{- define "millrace.componentLabels" -}}
app.kubernetes.io/component: {{ index . 1 }}
{{ include "millrace.labels" (index . 0) }}
{{- end }}

{{/* The controllers that run, as a list of their short names. */}}
{{- define "millrace.enabled" -}}
{{- $enabled := list -}}
{{- range $name := list "source" "kustomize" "notification" -}}
{{- if (index $.Values $name).enabled -}}{{- $enabled = append $enabled $name -}}{{- end -}}
{{- end -}}
{{- join "," $enabled -}}
{{- end }}

{{/* The ServiceAccounts of this release, as a list of names. */}}
{{- define "millrace.serviceAccounts" -}}
{{- if eq .Values.topology "single" -}}
millrace
{{- else -}}
{{- $names := list -}}
{{- range splitList "," (include "millrace.enabled" .) -}}{{- $names = append $names (printf "%s-controller" .) -}}{{- end -}}
{{- join "," $names -}}
{{- end -}}
{{- end }}

{{/* Which pods serve a controller's ports: (list $ "source-controller"). */}}
{{- define "millrace.app" -}}
{{- if eq (index . 0).Values.topology "single" }}millrace{{ else }}{{ index . 1 }}{{ end -}}
{{- end }}

{{/* An image: (list $ "image name" settings). */}}
{{- define "millrace.image" -}}
{{- $root := index . 0 -}}
{{- $tag := $root.Values.image.tag | default (printf "v%s" $root.Chart.Version) -}}
{{- (index . 2).image | default (printf "%s/%s:%s" $root.Values.image.registry (index . 1) $tag) -}}
{{- end }}

{{/* Where events are sent to. */}}
{{- define "millrace.eventsAddr" -}}
{{- .Values.eventsAddr | default (printf "http://notification-controller.$(RUNTIME_NAMESPACE).svc.%s./" .Values.clusterDomain) -}}
{{- end }}

{{/* Flags that every process has, in upstream's order: users' patches count on their positions. */}}
{{- define "millrace.commonArgs" -}}
- --watch-all-namespaces={{ .Values.watchAllNamespaces }}
- --log-level={{ .Values.logLevel }}
- --log-encoding={{ .Values.logEncoding }}
{{- if .Values.leaderElection }}
- --enable-leader-election
{{- end }}
{{- end }}

{{/* Flags of the artifact store. */}}
{{- define "millrace.storageArgs" -}}
- --storage-path=/data
- --storage-adv-addr=source-controller.$(RUNTIME_NAMESPACE).svc.{{ .Values.clusterDomain }}.
{{- end }}

{{/* A pod template's metadata: (list $ "app name"). */}}
{{- define "millrace.podMetadata" -}}
{{- $root := index . 0 -}}
annotations:
  prometheus.io/port: "8080"
  prometheus.io/scrape: "true"
  {{- with $root.Values.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
labels:
  app: {{ index . 1 }}
  {{- include "millrace.componentLabels" . | nindent 2 }}
  {{- with $root.Values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* What all pods have beside their container: (list $ "service account" settings). */}}
{{- define "millrace.podSpec" -}}
{{- $root := index . 0 -}}
{{- $own := index . 2 -}}
serviceAccountName: {{ index . 1 }}
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $own.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
securityContext:
  fsGroup: 1337
terminationGracePeriodSeconds: {{ $own.terminationGracePeriodSeconds }}
{{- with $root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* What all containers have beside arguments, ports, probes and volumes: (list $ "image name" settings). */}}
{{- define "millrace.container" -}}
{{- $root := index . 0 -}}
{{- $own := index . 2 -}}
name: manager
image: {{ include "millrace.image" . }}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
{{- with $own.command }}
command:
  {{- toYaml . | nindent 2 }}
{{- end }}
resources:
  {{- toYaml $own.resources | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  capabilities:
    drop:
      - ALL
  readOnlyRootFilesystem: true
  runAsNonRoot: true
  seccompProfile:
    type: RuntimeDefault
livenessProbe:
  httpGet:
    path: /healthz
    port: healthz
{{- end }}

{{/* The environment of all containers: (list $ settings), with more variables in between. */}}
{{- define "millrace.env" -}}
- name: RUNTIME_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
{{- end }}

{{- define "millrace.envEnd" -}}
- name: GOMEMLIMIT
  valueFrom:
    resourceFieldRef:
      containerName: manager
      resource: limits.memory
{{- with .extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}
