/** The configuration: TOML in the shape of hypersync.md 16.1, with flags over it. */
@NullMarked
package io.hypersync.cli.config;

import org.jspecify.annotations.NullMarked;
