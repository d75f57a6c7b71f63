/** Hosts of which one leads a workspace and the others follow, under a process mutex. */
@NullMarked
package io.hypersync.cli.failover;

import org.jspecify.annotations.NullMarked;
