package io.hypersync.leader.certificates;

import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.pki.CertificateFacts;

/**
 * A worker's certificate that the leader knows of.
 *
 * @param worker the name in it
 * @param isStandby whether a standby has used it
 * @param seenMs when it was last seen, in ms since 1970; 0 if it never was
 */
public record KnownCertificate(
    CertificateFacts facts, WorkerId worker, boolean isStandby, long seenMs) {}
