package io.hypersync.worker.daemon.inotify;

import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.dev.NodeCalls;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The process that makes shadow calls on the mount of the worker that started it. It is not a
 * thread of the worker, because a thread waiting in the worker's own mount would keep a killed
 * worker from ending, and so the mount as well. It ends when its standard input does, and so with
 * the worker.
 */
public final class ShadowMain {
  private ShadowMain() {}

  /**
   * Writes its thread id, then performs the calls of {@link ShadowWire} until its input ends.
   *
   * @param args the mount point
   */
  public static void main(String[] args) throws IOException {
    DataInputStream in =
        new DataInputStream(new BufferedInputStream(new FileInputStream(FileDescriptor.in)));
    DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)));
    NodeCalls calls = NodeCalls.of(Path.of(args[0]));
    out.writeInt(calls.tid());
    out.flush();
    try {
      for (int code = in.read(); code >= 0; code = in.read()) {
        out.writeInt(perform(code, in, calls));
        out.flush();
      }
    } catch (IOException workerIsGone) {
      // The worker was killed in the middle of a call.
    }
  }

  private static int perform(int code, DataInputStream in, NodeCalls calls) throws IOException {
    InodeNo node = new InodeNo(in.readLong());
    return switch (code) {
      case ShadowWire.ADOPT -> calls.adopt(node, ShadowWire.name(in));
      case ShadowWire.DROP -> {
        calls.drop(node);
        yield 0;
      }
      case ShadowWire.MAKE -> calls.make(node, ShadowWire.name(in), in.readBoolean());
      case ShadowWire.REMOVE -> calls.remove(node, ShadowWire.name(in), in.readBoolean());
      case ShadowWire.MOVE -> {
        byte[] name = ShadowWire.name(in);
        InodeNo newParent = new InodeNo(in.readLong());
        yield calls.move(node, name, newParent, ShadowWire.name(in), in.readBoolean());
      }
      case ShadowWire.TOUCH -> calls.touch(node, ShadowWire.name(in), in.readBoolean());
      case ShadowWire.TOUCH_NODE -> calls.touch(node, in.readBoolean());
      case ShadowWire.LOOK -> calls.look(node, ShadowWire.name(in));
      default -> throw new IllegalStateException("unknown code " + code);
    };
  }
}
