package io.hypersync.worker.daemon;

import io.hypersync.runtime.admin.UserError;
import java.io.Serial;

/** The snapshots of a worker are of another history than its leader's; its next start has none. */
public final class SnapshotsDistrusted extends UserError {
  @Serial private static final long serialVersionUID = 1L;

  /** Makes one; see {@link UserError}. */
  SnapshotsDistrusted(String message, String hint) {
    super(message, hint);
  }
}
