package io.hypersync.leader.lineage;

import java.io.Serial;

/** Another leader has taken the workspace over. The message says who has seen it. */
public final class DeposedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final transient Deposition deposition;

  /** Makes one; the message is for a person. */
  public DeposedException(String message, Deposition deposition) {
    super(message);
    this.deposition = deposition;
  }

  /** What is to be remembered. */
  public Deposition deposition() {
    return deposition;
  }
}
