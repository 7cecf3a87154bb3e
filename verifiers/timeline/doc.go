// Package timeline reduces a run's folder to buckets of 100 ms a pipeline and partition: what was acknowledged, what became
// visible, how far the one was ahead of the other, and how long records took. Extremes are kept in every bucket, so that
// a peak survives the reduction. Memory grows with the run's duration, not with its records.
package timeline
