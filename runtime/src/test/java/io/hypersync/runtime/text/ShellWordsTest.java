package io.hypersync.runtime.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A shell reads quoted words back unchanged. */
final class ShellWordsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "plain/word-1.txt",
        "a b",
        "it's",
        "",
        "$(rm -rf x)",
        "a\nb",
        "\u001b[31m'\\",
        "ä"
      })
  void aShellReadsTheWordBack(String word) throws IOException, InterruptedException {
    Process shell =
        new ProcessBuilder("bash", "-c", "printf %s " + ShellWords.quoted(word)).start();
    String said = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, shell.waitFor());
    assertEquals(word, said);
  }

  @Test
  void noControlCharacterReachesATerminal() {
    assertEquals("$'a\\x1b\\x0ab'", ShellWords.quoted("a\u001b\nb"));
    assertEquals("make -C '/a b'", ShellWords.line(List.of("make", "-C", "/a b")));
  }

  @Test
  void anAddressIsAHostAndAPort() throws IOException {
    assertEquals(
        "127.0.0.1:7890", HostPorts.of(InetSocketAddress.createUnresolved("127.0.0.1", 7890)));
    assertEquals("[::1]:7", HostPorts.of(InetSocketAddress.createUnresolved("::1", 7)));
    InetAddress named = InetAddress.getByAddress("a.example", new byte[] {10, 0, 0, 1});
    assertEquals("a.example:7", HostPorts.of(new InetSocketAddress(named, 7)));
    assertEquals("10.0.0.1:7", HostPorts.numeric(new InetSocketAddress(named, 7)));
  }
}
