// Package inject is what every active fault is made of: what undoes it, what goes on while it is active, what watches the
// cluster meanwhile, and what proves afterwards that it took effect and is over.
package inject
