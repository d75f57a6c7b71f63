package io.hypersync.cli.workspace;

import io.hypersync.model.id.WorkspaceId;
import java.nio.ByteBuffer;
import java.security.SecureRandom;

/** Random identities. */
public final class NewIds {
  private static final SecureRandom RANDOM = new SecureRandom();

  private NewIds() {}

  /** A workspace's; never the same twice. */
  public static WorkspaceId workspace() {
    byte[] random = new byte[WorkspaceId.BYTES];
    RANDOM.nextBytes(random);
    ByteBuffer buffer = ByteBuffer.wrap(random);
    return new WorkspaceId(buffer.getLong(), buffer.getLong());
  }
}
