package io.hypersync.worker.daemon.inotify;

import io.hypersync.worker.inotify.NameInDirectory;
import io.hypersync.worker.inotify.ShadowCall;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * The protocol from the worker to its shadow process: a code byte, then its fields. Integers are
 * big-endian; a name is a length byte and its bytes. Each call is answered by one int: 0 or the
 * negated errno.
 */
final class ShadowWire {
  static final int ADOPT = 1;
  static final int DROP = 2;
  static final int MAKE = 3;
  static final int REMOVE = 4;
  static final int MOVE = 5;
  static final int TOUCH = 6;
  static final int TOUCH_NODE = 7;
  static final int LOOK = 8;

  private ShadowWire() {}

  static void write(DataOutputStream out, ShadowCall call) throws IOException {
    switch (call) {
      case ShadowCall.Make(NameInDirectory place, boolean directory) -> {
        out.writeByte(MAKE);
        place(out, place);
        out.writeBoolean(directory);
      }
      case ShadowCall.Remove remove -> {
        out.writeByte(REMOVE);
        place(out, remove.place());
        out.writeBoolean(remove.subject().directory());
      }
      case ShadowCall.Move move -> {
        out.writeByte(MOVE);
        place(out, move.from());
        place(out, move.to());
        out.writeBoolean(move.exchange());
      }
      case ShadowCall.Touch touch -> {
        if (touch.place() == null) {
          out.writeByte(TOUCH_NODE);
          out.writeLong(touch.node().inode().value());
        } else {
          out.writeByte(TOUCH);
          place(out, touch.place());
        }
        out.writeBoolean(touch.content());
      }
      case ShadowCall.Look(NameInDirectory place) -> {
        out.writeByte(LOOK);
        place(out, place);
      }
    }
  }

  static void name(DataOutputStream out, byte[] name) throws IOException {
    out.writeByte(name.length);
    out.write(name);
  }

  static byte[] name(DataInputStream in) throws IOException {
    byte[] name = new byte[in.readUnsignedByte()];
    in.readFully(name);
    return name;
  }

  private static void place(DataOutputStream out, NameInDirectory place) throws IOException {
    out.writeLong(place.directory().value());
    name(out, place.name().bytes());
  }
}
