package io.hypersync.worker.fuse.session;

import io.hypersync.model.errno.Errno;
import io.hypersync.worker.fuse.abi.FuseVersion;
import io.hypersync.worker.fuse.abi.InitFlag;
import io.hypersync.worker.fuse.protocol.Decoded;
import io.hypersync.worker.fuse.protocol.FuseInitReply;
import java.util.EnumSet;
import java.util.Set;

/** Decides on the reply to INIT. Pure. */
final class InitNegotiator {
  /** The kernel's limit without {@link InitFlag#MAX_PAGES}. */
  private static final int DEFAULT_PAGES = 32;

  private static final int NANOSECOND = 1;

  private InitNegotiator() {}

  /** What to do about an INIT. */
  sealed interface Outcome {
    /** Reply; the connection works from now on. */
    record Agreed(FuseInitReply reply, FuseConnection connection) implements Outcome {}

    /** Reply with this side's major version; the kernel then repeats INIT. */
    record AskAgain() implements Outcome {}

    /** Reply with the error and give up. */
    record Refused(Errno errno, String reason) implements Outcome {}
  }

  static Outcome negotiate(Decoded.Init init, FuseSessionOptions options) {
    if (init.major() > FuseVersion.MAJOR) {
      return new Outcome.AskAgain();
    }
    if (init.major() < FuseVersion.MAJOR || init.minor() < FuseVersion.MIN_MINOR) {
      return new Outcome.Refused(
          Errno.EPROTO,
          "the kernel speaks FUSE %d.%d; at least %d.%d is needed (Linux 5.4)"
              .formatted(init.major(), init.minor(), FuseVersion.MAJOR, FuseVersion.MIN_MINOR));
    }
    Set<InitFlag> agreed = EnumSet.noneOf(InitFlag.class);
    agreed.addAll(InitFlag.setOf(init.flags()));
    agreed.retainAll(options.flags());
    int maxWrite = options.maxWriteBytes();
    if (!agreed.contains(InitFlag.MAX_PAGES)) {
      maxWrite = Math.min(maxWrite, DEFAULT_PAGES * FuseSessionOptions.PAGE_BYTES);
    }
    FuseConnection connection =
        new FuseConnection(Math.min(init.minor(), FuseVersion.MINOR), Set.copyOf(agreed), maxWrite);
    if (InitFlag.setOf(init.flags()).contains(InitFlag.INIT_EXT)) {
      // Makes flags2 of the reply valid, and changes nothing else.
      agreed.add(InitFlag.INIT_EXT);
    }
    return new Outcome.Agreed(
        new FuseInitReply(
            init.maxReadahead(),
            agreed,
            options.maxBackground(),
            options.congestionThreshold(),
            maxWrite,
            pages(maxWrite),
            NANOSECOND),
        connection);
  }

  /**
   * How many pages a request spans: a buffer that is not page-aligned touches one page more. The
   * kernel takes at most {@code fs.fuse.max_pages_limit}, and splits such a write in two if it is
   * lower.
   */
  private static int pages(int bytes) {
    return bytes / FuseSessionOptions.PAGE_BYTES + 1;
  }
}
