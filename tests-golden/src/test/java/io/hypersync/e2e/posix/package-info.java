/** What calls, caches, names, listings, tools and git do on mounts (hypersync.md 22.4). */
@NullMarked
package io.hypersync.e2e.posix;

import org.jspecify.annotations.NullMarked;
