package io.hypersync.worker.fuse.protocol;

import io.hypersync.worker.fuse.abi.FuseVersion;
import io.hypersync.worker.fuse.abi.InitFlag;
import io.hypersync.worker.fuse.abi.InitLayouts.InitOut;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;

/**
 * The daemon's reply to INIT.
 *
 * @param maxReadahead bytes, at most what the kernel offered
 * @param flags the offered flags that the daemon accepts
 * @param maxBackground most background requests in flight, 1 to 65,535
 * @param congestionThreshold number of background requests in flight at which the kernel throttles,
 *     1 to {@code maxBackground}
 * @param maxWrite largest write in bytes, at least 4,096
 * @param maxPages largest request in pages; only used with {@link InitFlag#MAX_PAGES}
 * @param timeGranularityNs resolution of the filesystem's timestamps, nanoseconds
 */
public record FuseInitReply(
    int maxReadahead,
    Set<InitFlag> flags,
    int maxBackground,
    int congestionThreshold,
    int maxWrite,
    int maxPages,
    int timeGranularityNs) {
  public FuseInitReply {
    flags = Set.copyOf(flags);
  }

  /** This reply as {@code fuse_init_out}. */
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

  /**
   * {@code fuse_init_out} with only the major version: the kernel then repeats INIT in that
   * version.
   */
  public static ByteBuffer encodeMajorOnly() {
    return blank();
  }

  private static ByteBuffer blank() {
    return ByteBuffer.allocate(InitOut.SIZE)
        .order(ByteOrder.nativeOrder())
        .putInt(InitOut.MAJOR, FuseVersion.MAJOR);
  }
}
