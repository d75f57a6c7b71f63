package io.hypersync.cli.ntm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Agent Mail servers that run on this machine, found by their command lines. */
final class AgentMailServers {
  private AgentMailServers() {}

  /**
   * A server.
   *
   * @param pid of its process
   * @param directory its working directory, in which its database is by default
   */
  record Server(long pid, Path directory) {}

  /**
   * Looks at all processes; those that may not be looked at are passed over.
   *
   * @param proc {@code /proc}
   */
  static List<Server> in(Path proc) {
    List<Server> servers = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
      for (Path process : processes) {
        if (isServer(process)) {
          servers.add(
              new Server(
                  Long.parseLong(process.getFileName().toString()),
                  Files.readSymbolicLink(process.resolve("cwd"))));
        }
      }
    } catch (IOException | DirectoryIteratorException ended) {
      return servers;
    }
    return servers;
  }

  private static boolean isServer(Path process) {
    try {
      String line =
          Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1)
              .replace('\0', ' ');
      return (line.contains("mcp_agent_mail") || line.contains("mcp-agent-mail"))
          && line.contains("serve");
    } catch (IOException endedOrNotOurs) {
      return false;
    }
  }
}
