module kubernetes

go 1.26.8

tool github.com/yannh/kubeconform/cmd/kubeconform

require (
	github.com/yannh/kubeconform v0.7.0
	k8s.io/client-go v0.34.3
)

require (
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/hashicorp/go-retryablehttp v0.7.7 // indirect
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.1 // indirect
	go.yaml.in/yaml/v2 v2.4.2 // indirect
	golang.org/x/text v0.25.0 // indirect
	sigs.k8s.io/yaml v1.6.0 // indirect
)
