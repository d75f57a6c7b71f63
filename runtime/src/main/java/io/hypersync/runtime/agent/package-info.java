/** Single-threaded agents: how they are run, and the ports that both daemons' agents use. */
@NullMarked
package io.hypersync.runtime.agent;

import org.jspecify.annotations.NullMarked;
