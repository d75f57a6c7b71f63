package io.hypersync.cli.command;

import java.util.concurrent.Callable;

/**
 * A command that is not part of the command line as it is installed, but is found beside it by
 * {@link java.util.ServiceLoader}: it may bring what users need not have.
 */
public interface ExtraCommand extends Callable<Integer> {}
