/**
 * Who is who: the authority of a workspace, the certificates it issues, and the file that carries
 * one to a new worker (hypersync.md 18). The only package that uses Bouncy Castle.
 */
@NullMarked
package io.hypersync.wire.pki;

import org.jspecify.annotations.NullMarked;
