package io.hypersync.worker.identity;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the name of the agent that a process belongs to (hypersync.md 8.1): in its environment,
 * else in the identity file of its pane, else the same of its nearest ancestor that has a name.
 */
public final class AgentResolver {
  /** Variables that name the agent, the first one that does counts. */
  private static final List<String> NAMES =
      List.of("HYPERSYNC_AGENT", "AGENT_MAIL_AGENT", "AGENT_NAME", "NTM_AGENT_NAME");

  private static final String PANE = "TMUX_PANE";
  private static final String HOME = "HOME";
  private static final String CONFIG = "XDG_CONFIG_HOME";

  private static final Set<String> WANTED =
      Set.of(
          "HYPERSYNC_AGENT",
          "AGENT_MAIL_AGENT",
          "AGENT_NAME",
          "NTM_AGENT_NAME",
          PANE,
          HOME,
          CONFIG);

  private static final int MAX_ANCESTORS = 32;

  /** The first process: of it nobody asks whose it is. */
  private static final int INIT = 1;

  private static final long STALE_S = 24 * 60 * 60;

  /**
   * The most identity files that are looked for, of a process and all its ancestors: whoever has
   * deep directories and many of them would keep others waiting.
   */
  static final int MAX_FILES = 256;

  private final ProcessTable processes;
  private final String mount;

  /**
   * Creates a resolver.
   *
   * @param mount the root of the workspace's mount, absolute, as a string of bytes: projects are
   *     folders on it
   */
  public AgentResolver(ProcessTable processes, String mount) {
    this.processes = processes;
    this.mount = mount;
  }

  /**
   * The name of the agent that a thread belongs to, at most 255 bytes in UTF-8 without control
   * characters; empty if it has none that could be found.
   *
   * @param tid the thread; 0 if it is in another namespace
   * @param nowS seconds since 1970
   */
  public String resolve(int tid, long nowS) {
    ProcessTable.Status status = tid <= 0 ? null : processes.status(tid);
    Set<IdentityFiles.Candidate> seen = new HashSet<>();
    for (int up = 0; status != null && up <= MAX_ANCESTORS; up++) {
      String name = own(status, nowS, seen);
      if (!name.isEmpty()) {
        return name;
      }
      status = parent(status);
    }
    return AgentName.NONE;
  }

  private ProcessTable.@Nullable Status parent(ProcessTable.Status child) {
    return child.parent() <= INIT ? null : processes.status(child.parent());
  }

  private String own(ProcessTable.Status process, long nowS, Set<IdentityFiles.Candidate> seen) {
    Environment environment = Environment.of(processes.environment(process.process()), WANTED);
    for (String variable : NAMES) {
      String name = AgentName.of(bytes(environment.get(variable)));
      if (!name.isEmpty()) {
        return name;
      }
    }
    String pane = environment.get(PANE);
    if (pane.isEmpty()) {
      return AgentName.NONE;
    }
    List<String> projects =
        IdentityFiles.projects(processes.workingDirectory(process.process()), mount);
    for (IdentityFiles.Candidate candidate :
        IdentityFiles.of(pane, environment.get(HOME), environment.get(CONFIG), projects)) {
      if (seen.size() >= MAX_FILES) {
        return AgentName.NONE;
      }
      seen.add(candidate);
      String name = read(candidate, process.uid(), nowS);
      if (!name.isEmpty()) {
        return name;
      }
    }
    return AgentName.NONE;
  }

  /** A file that somebody else has written says nothing: anybody may write to /tmp. */
  private String read(IdentityFiles.Candidate candidate, int uid, long nowS) {
    ProcessTable.PlainFile file = processes.file(candidate.path());
    if (file == null || file.owner() != uid) {
      return AgentName.NONE;
    }
    byte[] content = file.content();
    int end = lineEnd(content, 0);
    if (candidate.isDated() && nowS - writtenS(file, end) > STALE_S) {
      return AgentName.NONE;
    }
    return AgentName.of(Arrays.copyOf(content, end));
  }

  /** When a dated file was written, by its second line or, without one, by its mtime. */
  private static long writtenS(ProcessTable.PlainFile file, int firstEnd) {
    byte[] content = file.content();
    if (firstEnd < content.length) {
      int end = lineEnd(content, firstEnd + 1);
      String second =
          new String(Arrays.copyOfRange(content, firstEnd + 1, end), StandardCharsets.ISO_8859_1);
      try {
        return Long.parseLong(second.strip());
      } catch (NumberFormatException none) {
        return file.mtimeS();
      }
    }
    return file.mtimeS();
  }

  private static int lineEnd(byte[] content, int from) {
    int end = from;
    while (end < content.length && content[end] != '\n') {
      end++;
    }
    return end;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
