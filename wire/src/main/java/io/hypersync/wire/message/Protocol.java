package io.hypersync.wire.message;

/** Constants of protocol hypersync/1. */
public final class Protocol {
  /** Both the ALPN name and {@code Hello.protocolVersion}. */
  public static final String VERSION = "hypersync/1";

  /** Payloads up to this many bytes travel inside the intent and the log entry (9.2). */
  public static final int INLINE_THRESHOLD = 8 * 1024;

  /** The largest write of one intent: what the kernel sends at most in one request. */
  public static final int MAX_WRITE_BYTES = 1024 * 1024;

  /** The largest frame on any stream; a longer one ends the connection. */
  public static final int MAX_FRAME_BYTES = 4 * 1024 * 1024;

  /** The most chunks of one ChunkFetch and the most hashes of one ChunkNeed. */
  public static final int MAX_HASHES_PER_MESSAGE = 4096;

  /** The most nodes of one OpenLeaseAcquire, OpenLeaseRelease or OpenLeaseRenew. */
  public static final int MAX_NODES_PER_MESSAGE = 4096;

  private Protocol() {}
}
