/**
 * Decides when an applied entry becomes visible: only after the kernel has dropped the cached
 * names, attributes and pages that the entry contradicts (hypersync.md 6.3.2(3), 12.3;
 * docs/kernel-caching.md).
 */
@NullMarked
package io.hypersync.worker.coherence;

import org.jspecify.annotations.NullMarked;
