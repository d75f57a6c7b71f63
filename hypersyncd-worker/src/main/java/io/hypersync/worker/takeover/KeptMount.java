package io.hypersync.worker.takeover;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What a process needs to serve a mount that another one has made, beside its descriptors.
 *
 * @param device the mount's device number, as in {@code 0:53}: the part behind the colon
 * @param minor the kernel speaks FUSE 7.{@code minor}
 * @param flags of INIT, as agreed
 * @param maxWriteBytes the largest WRITE, as agreed
 * @param timeout how long the mount is kept without a worker
 * @param generation how many processes have served the mount, from 1
 * @param made whether the folder was made for the mount, and is to be removed with it
 * @param point where it is mounted
 */
public record KeptMount(
    long device,
    int minor,
    long flags,
    int maxWriteBytes,
    Duration timeout,
    int generation,
    boolean made,
    Path point) {
  private static final int FIXED_BYTES = 8 + 4 + 8 + 4 + 8 + 4 + 1 + 2;
  private static final int MAX_PATH_BYTES = 4_096;

  /** The same mount, served by the next process. */
  KeptMount next() {
    return new KeptMount(device, minor, flags, maxWriteBytes, timeout, generation + 1, made, point);
  }

  /** As {@link KeeperMessage} shows it. */
  byte[] encoded() {
    byte[] path = point.toString().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(FIXED_BYTES + path.length)
        .putLong(device)
        .putInt(minor)
        .putLong(flags)
        .putInt(maxWriteBytes)
        .putLong(timeout.toMillis())
        .putInt(generation)
        .put((byte) (made ? 1 : 0))
        .putShort((short) path.length)
        .put(path)
        .array();
  }

  /**
   * Reads what {@link #encoded} has written.
   *
   * @throws IllegalArgumentException if it is anything else
   */
  static KeptMount decode(byte[] bytes) {
    if (bytes.length < FIXED_BYTES) {
      throw new IllegalArgumentException("a mount in " + bytes.length + " bytes");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    long device = in.getLong();
    int minor = in.getInt();
    long flags = in.getLong();
    int maxWriteBytes = in.getInt();
    long timeoutMs = in.getLong();
    int generation = in.getInt();
    byte made = in.get();
    int length = Short.toUnsignedInt(in.getShort());
    if (length != in.remaining()
        || length > MAX_PATH_BYTES
        || device < 0
        || minor < 0
        || maxWriteBytes < 1
        || timeoutMs < 0
        || generation < 1
        || (made != 0 && made != 1)) {
      throw new IllegalArgumentException("this is not a mount");
    }
    byte[] path = new byte[length];
    in.get(path);
    try {
      return new KeptMount(
          device,
          minor,
          flags,
          maxWriteBytes,
          Duration.ofMillis(timeoutMs),
          generation,
          made == 1,
          Path.of(new String(path, StandardCharsets.UTF_8)));
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("this is not a path", e);
    }
  }
}
