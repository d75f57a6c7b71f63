package io.hypersync.leader.certificates;

import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.Revocation;
import java.time.Instant;

/** What people are told of a revocation. */
public final class RevocationText {
  private static final long SECOND_MS = 1_000;

  private RevocationText() {}

  /** When and why, as part of a sentence; for log and status of the leader. */
  public static String plain(Revocation revoked) {
    return "its certificate was revoked at "
        + Instant.ofEpochSecond(revoked.atMs() / SECOND_MS)
        + (revoked.reason().isEmpty() ? "" : ": " + revoked.reason());
  }

  /** What the worker is told when it is refused. */
  public static String forWorker(WorkerId worker, Revocation revoked) {
    return plain(revoked)
        + ". To let it in again, its host needs a new token, in a state directory of its own: "
        + "./hypersync token "
        + worker
        + " on the leader's host (docs/certificates.md)";
  }
}
