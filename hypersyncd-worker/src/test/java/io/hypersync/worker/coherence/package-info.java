/** Tests of when an entry becomes visible. */
@org.jspecify.annotations.NullMarked
package io.hypersync.worker.coherence;
