/**
 * {@code hypersync top}: what a workspace and its agents are doing, from the answers of the daemons
 * of this host over their admin sockets. No mount is ever touched.
 *
 * <p>{@link io.hypersync.cli.top.TopModel} keeps answers, {@link io.hypersync.cli.top.Sheets} makes
 * tables of them, {@link io.hypersync.cli.top.ScreenText} makes lines of a table; all of these are
 * pure. {@link io.hypersync.cli.top.Watch} asks; the terminal is in the package below.
 */
@NullMarked
package io.hypersync.cli.top;

import org.jspecify.annotations.NullMarked;
