package io.hypersync.worker.intents;

import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.op.FsOp;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Intent ids that follow from the kernel's request, so that every process that serves a mount finds
 * the same one (decision 048): the client_id from the mount and the calling thread, the number from
 * the request's own, and from which of its mutations it is.
 *
 * <pre>
 *   63      48                        16               8                0
 *  +----------+------------------------+----------------+----------------+
 *  | 0        | number of the request, | which mutation | what kind of   |
 *  |          | without its lowest bit | of it, from 1  | op             |
 *  +----------+------------------------+----------------+----------------+
 * </pre>
 *
 * <p>The kind of op is part of it because a process that does a request again may find another
 * state, and go another way: then the second mutation of the request is not the one of before.
 *
 * <p>Single-threaded.
 */
final class RequestIdentities {
  /** Requests of which it is remembered how many mutations they have made; older ones are over. */
  private static final int MAX_REQUESTS = 1 << 16;

  private static final int MAX_MUTATIONS = 255;
  private static final int REQUEST_BITS = 32;
  private static final int REQUEST_SHIFT = 16;
  private static final int MUTATION_SHIFT = 8;

  private final ClientId mount;

  private final Map<Long, Integer> mutations =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Integer> eldest) {
          return size() > MAX_REQUESTS;
        }
      };

  /**
   * The identities of one mount.
   *
   * @param mount its random id, which no other worker knows
   */
  RequestIdentities(ClientId mount) {
    this.mount = mount;
  }

  /** Whether the mutation is made for a request of the kernel. */
  static boolean has(RequestId request) {
    return request.identity() != 0;
  }

  /**
   * The id of the next mutation of a request.
   *
   * @param caller the thread that makes the call, as the kernel says
   */
  IntentId next(RequestId request, int caller, FsOp op) {
    long number = request.identity() >>> 1;
    int which = Math.min(mutations.merge(number, 1, Integer::sum), MAX_MUTATIONS);
    long low = number & ((1L << REQUEST_BITS) - 1);
    return new IntentId(
        client(caller, number >>> REQUEST_BITS),
        low << REQUEST_SHIFT | (long) which << MUTATION_SHIFT | kind(op));
  }

  /** Different for each thread of a mount, since each step can be undone. */
  private ClientId client(int caller, long part) {
    long one = Integer.toUnsignedLong(caller) | part << REQUEST_BITS;
    return new ClientId(mixed(mount.high() + one), mixed(mount.low() ^ one));
  }

  /** The finalizer of SplitMix64. */
  private static long mixed(long value) {
    long z = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return z ^ z >>> 31;
  }

  private static int kind(FsOp op) {
    return switch (op) {
      case FsOp.CreateFile _ -> 1;
      case FsOp.MakeDir _ -> 2;
      case FsOp.MakeSymlink _ -> 3;
      case FsOp.MakeNode _ -> 4;
      case FsOp.MakeTemporary _ -> 5;
      case FsOp.Link _ -> 6;
      case FsOp.LinkTemporary _ -> 6; // once it is done, the file has a name, and it is a Link
      case FsOp.Unlink _ -> 8;
      case FsOp.RemoveDir _ -> 9;
      case FsOp.Rename _ -> 10;
      case FsOp.Write _ -> 11;
      case FsOp.Truncate _ -> 12;
      case FsOp.SetAttributes _ -> 13;
      case FsOp.SetXattr _ -> 14;
      case FsOp.RemoveXattr _ -> 15;
      case FsOp.Allocate _ -> 16;
      case FsOp.CopyRange _ -> 17;
      case FsOp.ReapOrphans _ -> 18;
      case FsOp.RestoreState _ -> 19;
    };
  }
}
