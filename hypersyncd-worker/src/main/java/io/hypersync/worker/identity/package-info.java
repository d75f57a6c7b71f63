/**
 * Which agent made a call: names of processes from their environment, from identity files and from
 * their ancestors, and for how long a name is believed. Pure; what is read of processes comes
 * through {@link io.hypersync.worker.identity.ProcessTable}.
 *
 * <p>Names are self-asserted: any process can take any name. They say who did what, and are good
 * for nothing that decides about access.
 */
@NullMarked
package io.hypersync.worker.identity;

import org.jspecify.annotations.NullMarked;
