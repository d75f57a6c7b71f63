/**
 * Profiles what a command does with a mount: {@code hypersync profile} (hypersync.md 17, Phase 0).
 */
@NullMarked
package io.hypersync.cli.profile;

import org.jspecify.annotations.NullMarked;
