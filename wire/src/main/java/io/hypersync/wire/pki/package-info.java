/**
 * Certificates: a workspace's authority, the certificates it issues, and the enrolment file that
 * brings one to a new worker (hypersync.md 18). The only package that uses Bouncy Castle.
 */
@NullMarked
package io.hypersync.wire.pki;

import org.jspecify.annotations.NullMarked;
