{{/* The release's name, with the chart's unless that is in it. */}}
{{- define "gatehouse.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 57 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 57 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{/* What never changes, for selectors. */}}
{{- define "gatehouse.selector" -}}
app.kubernetes.io/name: gatehouse
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gatehouse.labels" -}}
{{ include "gatehouse.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}
