package io.hypersync.cli.command;

import java.util.concurrent.Callable;

/**
 * A command found by {@link java.util.ServiceLoader} beside the installed command line. Its
 * dependencies, for example those of the benchmarks, are not part of what users install.
 */
public interface ExtraCommand extends Callable<Integer> {}
