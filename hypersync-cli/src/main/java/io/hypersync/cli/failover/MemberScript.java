package io.hypersync.cli.failover;

import io.hypersync.runtime.text.ShellWords;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The script of one host that leads a workspace, or follows whoever does: what a process mutex
 * calls, and the roles that it starts.
 *
 * @param name of the service, the same on all hosts
 * @param hypersync the command that it runs
 * @param directory the workspace's folder
 * @param stateDir the state directory, which is a leader's and a standby's by turns
 * @param token the standby's enrolment
 * @param leaderOptions further options of {@code hypersync leader}
 * @param lossOptions what {@code hypersync promote} and the health check take for a standby that
 *     may lack what was acknowledged
 * @param putexOptions options of {@code hypersync putex}
 * @param startSeconds how long a leader may take until it answers for the first time
 * @param stopSeconds how long a role may take to end before it is killed
 */
public record MemberScript(
    String name,
    String hypersync,
    Path directory,
    Path stateDir,
    Path token,
    List<String> leaderOptions,
    List<String> lossOptions,
    List<String> putexOptions,
    int startSeconds,
    int stopSeconds) {
  private static final String PROGRAM = "member.sh";

  /** A copy of the lists. */
  public MemberScript {
    leaderOptions = List.copyOf(leaderOptions);
    lossOptions = List.copyOf(lossOptions);
    putexOptions = List.copyOf(putexOptions);
  }

  /** Its text, for bash. */
  public String text() {
    return "#!/bin/bash\n"
        + line("NAME", ShellWords.quoted(name))
        + line("HYPERSYNC", ShellWords.quoted(hypersync))
        + line("DIR", ShellWords.quoted(directory))
        + line("STATE", ShellWords.quoted(stateDir))
        + line("TOKEN", ShellWords.quoted(token))
        + line("LEADER", list(leaderOptions))
        + line("LOSS", list(lossOptions))
        + line("PUTEX", list(putexOptions))
        + line("START_SECONDS", Integer.toString(startSeconds))
        + line("STOP_SECONDS", Integer.toString(stopSeconds))
        + program();
  }

  private static String line(String variable, String value) {
    return variable + "=" + value + "\n";
  }

  private static String list(List<String> words) {
    return words.stream().map(ShellWords::quoted).collect(Collectors.joining(" ", "(", ")"));
  }

  private static String program() {
    try (InputStream program = MemberScript.class.getResourceAsStream(PROGRAM)) {
      if (program == null) {
        throw new IllegalStateException(PROGRAM + " is not in the jar");
      }
      return new String(program.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
