package io.hypersync.model.op;

import org.jspecify.annotations.Nullable;

/** The seven types of node, each with its persisted code and its bits of st_mode. */
public enum NodeType {
  FILE(1, 0100000),
  DIRECTORY(2, 0040000),
  SYMLINK(3, 0120000),
  FIFO(4, 0010000),
  SOCKET(5, 0140000),
  CHARACTER_DEVICE(6, 0020000),
  BLOCK_DEVICE(7, 0060000);

  /** The bits of st_mode that hold the type: S_IFMT. */
  public static final int MODE_MASK = 0170000;

  private static final @Nullable NodeType[] BY_CODE = new NodeType[values().length + 1];

  static {
    for (NodeType type : values()) {
      BY_CODE[type.code] = type;
    }
  }

  private final int code;
  private final int modeBits;

  NodeType(int code, int modeBits) {
    this.code = code;
    this.modeBits = modeBits;
  }

  /** The type with this persisted code, or null if there is none. */
  public static @Nullable NodeType ofCode(int code) {
    return code > 0 && code < BY_CODE.length ? BY_CODE[code] : null;
  }

  /** The type in the type bits of an st_mode, or null if there is none. */
  public static @Nullable NodeType ofMode(int mode) {
    for (NodeType type : values()) {
      if (type.modeBits == (mode & MODE_MASK)) {
        return type;
      }
    }
    return null;
  }

  /** The persisted code, 1 to 7. */
  public int code() {
    return code;
  }

  /** The type bits of st_mode: S_IFREG and so on. */
  public int modeBits() {
    return modeBits;
  }
}
