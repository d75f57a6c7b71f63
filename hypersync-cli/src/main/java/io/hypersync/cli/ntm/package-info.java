/**
 * What makes {@code ntm hypersync ...} work on a host, and what keeps an NTM session from working
 * on a workspace (hypersync.md 16.1). NTM's own configuration is never changed.
 */
@NullMarked
package io.hypersync.cli.ntm;

import org.jspecify.annotations.NullMarked;
