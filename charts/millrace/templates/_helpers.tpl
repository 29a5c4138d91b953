{{/*
What counts where a value is null: `source:` with nothing below it is easily written, and takes all of the chart's own values of
that block away. Every template begins with this.
*/}}
{{- define "millrace.setup" -}}
{{- include "millrace.fill" (list .Values (include "millrace.defaults" . | fromYaml)) -}}
{{- end }}

{{- define "millrace.defaults" -}}
topology: split
image: {registry: ghcr.io/millrace, pullPolicy: IfNotPresent, name: millrace}
watchAllNamespaces: true
logLevel: info
logEncoding: json
leaderElection: true
clusterDomain: cluster.local
multitenancy: {enabled: false, defaultServiceAccount: default}
crds: {install: true, keep: true}
rbac: {create: true, createAggregation: true, clusterAdmin: true}
networkPolicies: true
criticalPodsQuota: true
podMonitor: {create: false}
source: {enabled: true, terminationGracePeriodSeconds: 10, serviceAccount: {create: true, automount: true}, service: {}}
kustomize: {enabled: true, terminationGracePeriodSeconds: 60, serviceAccount: {create: true, automount: true}}
notification:
  enabled: true
  terminationGracePeriodSeconds: 10
  serviceAccount: {create: true, automount: true}
  service: {}
  webhookReceiver: {service: {}}
single: {terminationGracePeriodSeconds: 30, serviceAccount: {create: true, automount: true}}
{{- end }}

{{/* Sets what is null in a map to its default: (list map defaults). */}}
{{- define "millrace.fill" -}}
{{- $target := index . 0 -}}
{{- range $key, $value := index . 1 -}}
{{- if kindIs "invalid" (index $target $key) -}}
{{- $_ := set $target $key $value -}}
{{- else if and (kindIs "map" $value) (kindIs "map" (index $target $key)) -}}
{{- include "millrace.fill" (list (index $target $key) $value) -}}
{{- end -}}
{{- end -}}
{{- end }}

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
{{- if not $enabled -}}
{{- fail "no controller is enabled: set source.enabled, kustomize.enabled or notification.enabled" -}}
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
{{- $image := (index . 2).image -}}
{{- if not (or $image $root.Values.image.registry) -}}
{{- fail "image.registry is empty: name the registry that holds the images, or give each image in full" -}}
{{- end -}}
{{- $image | default (printf "%s/%s:%s" $root.Values.image.registry (index . 1) $tag) -}}
{{- end }}

{{/* The volume of artifacts. Helm merges a source of another kind with the empty folder that is the default. */}}
{{- define "millrace.storage" -}}
{{- $storage := .Values.source.storage | default dict -}}
{{- $sources := omit $storage "emptyDir" -}}
{{- if and $sources $storage.emptyDir -}}
{{- fail (printf "source.storage names more than one kind of volume: emptyDir, %s" (keys $sources | sortAlpha | join ", ")) -}}
{{- end -}}
{{- toYaml ($sources | default (dict "emptyDir" ($storage.emptyDir | default dict))) -}}
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

{{/*
Flags after those that the chart always sets, what keeps tenants apart and what the values say:
(list $ settings "controllers of the process, comma separated" "bare" or "prefixed" flags).
*/}}
{{- define "millrace.moreArgs" -}}
{{- $root := index . 0 -}}
{{- $tenancy := $root.Values.multitenancy -}}
{{- $args := list -}}
{{- range $name := splitList "," (index . 2) -}}
{{- $flag := printf "--%s" (ternary "" (printf "%s-" $name) (eq (index $ 3) "bare")) -}}
{{- if and $tenancy.enabled (ne $name "source") -}}
{{- $args = append $args (printf "%sno-cross-namespace-refs=true" $flag) -}}
{{- end -}}
{{- if and $tenancy.enabled (eq $name "kustomize") -}}
{{- $args = append $args (printf "%sno-remote-bases=true" $flag) -}}
{{- $args = append $args (printf "%sdefault-service-account=%s" $flag $tenancy.defaultServiceAccount) -}}
{{- end -}}
{{- end -}}
{{- if $tenancy.enabled -}}
{{- $args = append $args "--lockdown-egress" -}}
{{- end -}}
{{- with concat $args ($root.Values.extraArgs | default list) ((index . 1).extraArgs | default list) -}}
{{- toYaml . -}}
{{- end -}}
{{- end }}

{{/* Flags of the artifact store. */}}
{{- define "millrace.storageArgs" -}}
- --storage-path=/data
- --storage-adv-addr=source-controller.$(RUNTIME_NAMESPACE).svc.{{ .Values.clusterDomain }}.
{{- end }}

{{/* A pod template's metadata: (list $ "app name" settings). */}}
{{- define "millrace.podMetadata" -}}
{{- $root := index . 0 -}}
annotations:
  prometheus.io/port: "8080"
  prometheus.io/scrape: "true"
  {{- range list $root.Values.podAnnotations (index . 2).podAnnotations }}
  {{- with . }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- end }}
labels:
  app: {{ index . 1 }}
  {{- include "millrace.componentLabels" . | nindent 2 }}
  {{- range list $root.Values.podLabels (index . 2).podLabels }}
  {{- with . }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
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
{{- with $root.Values.podSecurityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $own.terminationGracePeriodSeconds }}
terminationGracePeriodSeconds: {{ . }}
{{- end }}
{{- range $name := list "nodeSelector" "tolerations" "affinity" "topologySpreadConstraints" }}
{{- with index $own $name | default (index $root.Values $name) }}
{{ $name }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
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
{{- with $own.envFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $own.resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- mergeOverwrite (include "millrace.securityContext" . | fromYaml) ($root.Values.securityContext | default dict) | toYaml | nindent 2 }}
livenessProbe:
  httpGet:
    path: /healthz
    port: healthz
{{- end }}

{{/* What the program needs, and no more. */}}
{{- define "millrace.securityContext" -}}
allowPrivilegeEscalation: false
capabilities:
  drop: [ALL]
readOnlyRootFilesystem: true
runAsNonRoot: true
seccompProfile:
  type: RuntimeDefault
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
