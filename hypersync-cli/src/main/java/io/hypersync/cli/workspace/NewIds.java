package io.hypersync.cli.workspace;

import io.hypersync.model.id.WorkspaceId;
import java.nio.ByteBuffer;
import java.security.SecureRandom;

/** Generates random ids. */
public final class NewIds {
  private static final SecureRandom RANDOM = new SecureRandom();

  private NewIds() {}

  /** Returns a new workspace id of 128 random bits. */
  public static WorkspaceId workspace() {
    byte[] random = new byte[WorkspaceId.BYTES];
    RANDOM.nextBytes(random);
    ByteBuffer buffer = ByteBuffer.wrap(random);
    return new WorkspaceId(buffer.getLong(), buffer.getLong());
  }
}
