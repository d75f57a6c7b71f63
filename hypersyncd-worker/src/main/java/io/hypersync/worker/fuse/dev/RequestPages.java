package io.hypersync.worker.fuse.dev;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The number of pages that the kernel puts into one request: {@code fs.fuse.max_pages_limit}, which
 * a connection takes over when it is mounted (since Linux 6.13).
 *
 * <p>The default of 256 is 1 MiB of page-aligned memory. A large block of malloc begins behind its
 * header, so a write of 1 MiB from it would be split into two requests, and so two commits.
 */
final class RequestPages {
  private static final Logger LOG = LoggerFactory.getLogger(RequestPages.class);
  private static final Path LIMIT = Path.of("/proc/sys/fs/fuse/max_pages_limit");

  /** 1 MiB, and one page for a buffer that is not aligned. */
  private static final int PAGES = 257;

  private RequestPages() {}

  /** Raises this host's limit, if it is lower and may be changed. */
  static void allow() {
    if (!Files.exists(LIMIT)) {
      return;
    }
    try {
      if (Integer.parseInt(Files.readString(LIMIT).strip()) < PAGES) {
        Files.writeString(LIMIT, PAGES + "\n");
        LOG.info("{} is {} now: a write of 1 MiB is one request", LIMIT, PAGES);
      }
    } catch (IOException | NumberFormatException e) {
      LOG.debug("{} stays", LIMIT, e);
    }
  }
}
