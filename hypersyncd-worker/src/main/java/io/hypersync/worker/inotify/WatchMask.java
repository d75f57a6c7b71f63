package io.hypersync.worker.inotify;

/** Bits of an inotify mask, as inotify_add_watch(2) takes them and fdinfo shows them. */
public final class WatchMask {
  /** The content has changed. */
  public static final int MODIFY = 0x2;

  /** Mode, owner, times, extended attributes or the link count have changed. */
  public static final int ATTRIB = 0x4;

  /** A name has gone from the directory to another place. */
  public static final int MOVED_FROM = 0x40;

  /** A name has come into the directory from another place. */
  public static final int MOVED_TO = 0x80;

  /** A name has been made in the directory. */
  public static final int CREATE = 0x100;

  /** A name of the directory has been removed. */
  public static final int DELETE = 0x200;

  /** The node itself has lost its last name. */
  public static final int DELETE_SELF = 0x400;

  /** The node itself has another name. */
  public static final int MOVE_SELF = 0x800;

  /** All events that other workers can cause; accesses, opens and closes stay local. */
  public static final int REPORTED =
      MODIFY | ATTRIB | MOVED_FROM | MOVED_TO | CREATE | DELETE | DELETE_SELF | MOVE_SELF;

  private WatchMask() {}
}
