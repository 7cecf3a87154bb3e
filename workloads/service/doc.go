// Package service is the external service that some pipelines call, and the only way for them to call it.
package service
