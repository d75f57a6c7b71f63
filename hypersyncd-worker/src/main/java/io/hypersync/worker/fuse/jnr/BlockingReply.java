package io.hypersync.worker.fuse.jnr;

import io.hypersync.model.errno.Errno;
import io.hypersync.worker.fuse.protocol.DirectoryBuffer;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseAttr;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import io.hypersync.worker.fuse.protocol.FuseLock;
import io.hypersync.worker.fuse.protocol.FuseStatFs;
import io.hypersync.worker.fuse.protocol.FuseStatx;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.fuse.session.FuseReply;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The answer of a request for which one of libfuse's threads waits. The first one counts. */
final class BlockingReply implements FuseReply {
  private final RequestId unique;
  private final CompletableFuture<Answer> answer = new CompletableFuture<>();
  private long receivedNs;

  BlockingReply(RequestId unique, long receivedNs) {
    this.unique = unique;
    this.receivedNs = receivedNs;
  }

  /**
   * Waits for the answer.
   *
   * @param patienceMs after which waiting ends without one
   * @return null if there is none yet
   */
  @Nullable Answer await(long patienceMs) {
    try {
      return answer.get(patienceMs, TimeUnit.MILLISECONDS);
    } catch (TimeoutException notYet) {
      return null;
    } catch (InterruptedException ending) {
      Thread.currentThread().interrupt();
      return new Answer.Failed(Errno.EIO);
    } catch (ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @Override
  public RequestId unique() {
    return unique;
  }

  @Override
  public long takeReceivedNs() {
    long taken = receivedNs;
    receivedNs = 0;
    return taken;
  }

  @Override
  public void error(Errno errno) {
    complete(new Answer.Failed(errno));
  }

  @Override
  public void ok() {
    complete(new Answer.Done());
  }

  @Override
  public void entry(FuseEntry entry) {
    complete(new Answer.Entry(entry));
  }

  @Override
  public void negativeEntry(long ttlNs) {
    error(Errno.ENOENT);
  }

  @Override
  public void attr(FuseAttr attr, long ttlNs) {
    complete(new Answer.Attributes(attr));
  }

  @Override
  public void open(FileHandle fh, int flags) {
    complete(new Answer.Opened(fh));
  }

  @Override
  public void create(FuseEntry entry, FileHandle fh, int flags) {
    complete(new Answer.Created(entry, fh));
  }

  @Override
  public void write(int size) {
    complete(new Answer.Size(size));
  }

  @Override
  public void data(byte[]... parts) {
    complete(new Answer.Data(joined(parts)));
  }

  @Override
  public void statfs(FuseStatFs totals) {
    complete(new Answer.Totals(totals));
  }

  @Override
  public void xattrSize(int size) {
    complete(new Answer.Size(size));
  }

  @Override
  public void directory(DirectoryBuffer rows) {
    complete(new Answer.Rows(rows.bytes()));
  }

  @Override
  public void lock(FuseLock lock) {
    complete(new Answer.Lock(lock));
  }

  @Override
  public void noReply() {
    ok();
  }

  // libfuse 2 has no such calls.

  @Override
  public void lseek(long offset) {
    error(Errno.EIO);
  }

  @Override
  public void copied(long bytes) {
    error(Errno.EIO);
  }

  @Override
  public void statx(FuseStatx statx, long ttlNs) {
    error(Errno.EIO);
  }

  private void complete(Answer given) {
    var _ = answer.complete(given);
  }

  private static byte[] joined(byte[][] parts) {
    if (parts.length == 1) {
      return parts[0];
    }
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    byte[] all = new byte[length];
    int at = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, all, at, part.length);
      at += part.length;
    }
    return all;
  }
}
