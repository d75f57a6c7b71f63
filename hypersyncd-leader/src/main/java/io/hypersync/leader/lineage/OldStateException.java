package io.hypersync.leader.lineage;

import java.io.Serial;

/** A worker has seen a state that this leader does not have. The message says which ones. */
public final class OldStateException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** Makes one; the message is for a person. */
  public OldStateException(String message) {
    super(message);
  }
}
