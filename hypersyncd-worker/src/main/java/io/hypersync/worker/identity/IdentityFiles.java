package io.hypersync.worker.identity;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The files in which tools that run agents in panes of tmux leave the agents' names, in the order
 * in which they count. All strings are strings of bytes.
 */
final class IdentityFiles {
  private static final Pattern PANE = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}");
  private static final int HASH_DIGITS = 12;

  /** Folders that are looked at from the working directory upwards. */
  private static final int MAX_PROJECTS = 32;

  private IdentityFiles() {}

  /**
   * A file.
   *
   * @param isDated whether its second line says when it was written, and it counts for a day only
   */
  record Candidate(String path, boolean isDated) {}

  /**
   * The files that may name the agent in a pane.
   *
   * @param pane TMUX_PANE, such as {@code %12} or {@code session:0:2}
   * @param home the home directory; empty if it is not known
   * @param config XDG_CONFIG_HOME; empty if it is not set
   * @param projects folders, the nearest first
   */
  static List<Candidate> of(String pane, String home, String config, List<String> projects) {
    String bare = (pane.startsWith("%") ? pane.substring(1) : pane).replace(':', '-');
    List<Candidate> files = new ArrayList<>();
    if (!PANE.matcher(bare).matches()) {
      return files;
    }
    boolean hasHome = home.startsWith("/");
    if (config.startsWith("/") || hasHome) {
      String base = config.startsWith("/") ? config : home + "/.config";
      for (String project : projects) {
        files.add(plain(base + "/agent-mail/identity/" + sha1(project) + "/" + bare));
      }
    }
    if (hasHome) {
      String base = home + "/.local/state/agent-mail/identity/";
      for (String project : projects) {
        files.add(new Candidate(base + sha256(project) + "/%" + bare, true));
      }
    }
    for (String project : projects) {
      String base = "/tmp/agent-mail-name." + sha1(project) + ".";
      files.add(plain(base + bare));
      files.add(plain(base + "%" + bare));
    }
    if (hasHome) {
      files.add(plain(home + "/.claude/agent-mail/identity." + bare));
      files.add(plain(home + "/.claude/agent-mail/identity.%" + bare));
    }
    return files;
  }

  /**
   * The working directory and its parents up to the mount's root, the nearest first; none if it is
   * not on the mount.
   */
  static List<String> projects(String workingDirectory, String mount) {
    List<String> projects = new ArrayList<>();
    String at = workingDirectory;
    while (projects.size() < MAX_PROJECTS && at.startsWith(mount + "/")) {
      projects.add(at);
      at = at.substring(0, at.lastIndexOf('/'));
    }
    if (projects.size() < MAX_PROJECTS && at.equals(mount)) {
      projects.add(at);
    }
    return projects;
  }

  private static Candidate plain(String path) {
    return new Candidate(path, false);
  }

  private static String sha1(String project) {
    return digest("SHA-1", project);
  }

  private static String sha256(String project) {
    return digest("SHA-256", project);
  }

  private static String digest(String algorithm, String project) {
    try {
      byte[] hash =
          MessageDigest.getInstance(algorithm)
              .digest(project.getBytes(StandardCharsets.ISO_8859_1));
      return HexFormat.of().formatHex(hash).substring(0, HASH_DIGITS);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
