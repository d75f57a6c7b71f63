/** Profiles of a mount: what it is used for, and where the time goes (hypersync.md 17). */
@NullMarked
package io.hypersync.worker.profile;

import org.jspecify.annotations.NullMarked;
