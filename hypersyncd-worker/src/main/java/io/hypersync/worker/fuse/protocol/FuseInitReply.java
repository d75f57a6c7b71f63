package io.hypersync.worker.fuse.protocol;

import io.hypersync.worker.fuse.abi.FuseVersion;
import io.hypersync.worker.fuse.abi.InitFlag;
import io.hypersync.worker.fuse.abi.InitLayouts.InitOut;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;

/**
 * What the daemon answers to INIT.
 *
 * @param maxReadahead bytes, at most what the kernel said
 * @param flags what is wanted of what was offered
 * @param maxBackground how many background requests may be in flight, 1 to 65,535
 * @param congestionThreshold from how many on the kernel holds back, 1 to {@code maxBackground}
 * @param maxWrite largest write in bytes, at least 4,096
 * @param maxPages largest request in pages, counts with {@link InitFlag#MAX_PAGES} only
 * @param timeGranularityNs the filesystem's unit of time, nanoseconds
 */
public record FuseInitReply(
    int maxReadahead,
    Set<InitFlag> flags,
    int maxBackground,
    int congestionThreshold,
    int maxWrite,
    int maxPages,
    int timeGranularityNs) {
  /** Keeps a copy of the flags. */
  public FuseInitReply {
    flags = Set.copyOf(flags);
  }

  /** {@code fuse_init_out}. */
  public ByteBuffer encode() {
    long bits = InitFlag.maskOf(flags);
    return blank()
        .putInt(InitOut.MINOR, FuseVersion.MINOR)
        .putInt(InitOut.MAX_READAHEAD, maxReadahead)
        .putInt(InitOut.FLAGS, (int) bits)
        .putInt(InitOut.FLAGS2, (int) (bits >>> Integer.SIZE))
        .putShort(InitOut.MAX_BACKGROUND, (short) maxBackground)
        .putShort(InitOut.CONGESTION_THRESHOLD, (short) congestionThreshold)
        .putInt(InitOut.MAX_WRITE, maxWrite)
        .putInt(InitOut.TIME_GRAN, timeGranularityNs)
        .putShort(InitOut.MAX_PAGES, (short) maxPages);
  }

  /** {@code fuse_init_out} with the major version alone: the kernel then asks again in that one. */
  public static ByteBuffer encodeMajorOnly() {
    return blank();
  }

  private static ByteBuffer blank() {
    return ByteBuffer.allocate(InitOut.SIZE)
        .order(ByteOrder.nativeOrder())
        .putInt(InitOut.MAJOR, FuseVersion.MAJOR);
  }
}
