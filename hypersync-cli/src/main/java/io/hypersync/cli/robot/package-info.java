/**
 * {@code hypersync robot}: what programs ask, in the envelope, with the words and the exit codes
 * that NTM uses. No option parser and one connection to each daemon, because programs ask all the
 * time.
 */
@NullMarked
package io.hypersync.cli.robot;

import org.jspecify.annotations.NullMarked;
