// Package ask is the one home for questions to brokers: who leads a partition, where its log ends, which transactions are
// open, who coordinates a group. Each subject has a file, each question a small typed answer.
//
// Questions are raw kmsg requests to brokers that the caller names. The client library's own choice of broker and its
// metadata cache are no use while brokers are down or cut off: they may name one that is gone, and a retry on moved
// leadership hides what a cut-off leader believes.
//
// A question to one broker may take a bounded time: a paused broker accepts and never answers. Errors name the broker,
// the request and what to do next. An answer that leaves something out is an error, never a zero.
package ask
