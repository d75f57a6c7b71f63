package io.hypersync.cli.render;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

/** What {@code hypersync status} says of paths that only this host has. */
class IgnoredReportTest {
  private static String lines(String ignored) throws Exception {
    StringBuilder text = new StringBuilder();
    String worker = "{\"worker_id\": \"fmd\", \"ignored\": " + ignored + "}";
    IgnoredReport.append(text, new ObjectMapper().readTree(worker));
    return text.toString();
  }

  @Test
  void withoutTheFileNothingIsSaid() throws Exception {
    assertEquals("", lines("null"));
  }

  @Test
  void whatIsLocalIsCounted() throws Exception {
    assertEquals(
        "  1 path of fmd is local to this host (hypersync.ignore)\n", lines("{\"shown\": 1}"));
    assertEquals(
        "  at least 2,000 paths of fmd are local to this host (hypersync.ignore)\n",
        lines("{\"shown\": 2000, \"complete\": false}"));
  }

  @Test
  void whatIsNotAsExpectedIsNamed() throws Exception {
    String ignored =
        """
        {"patterns": 1, "shown": 0, "complete": true, "problem": "it is no regular file",
         "folder": "/l/ignored/w", "refused_lines": 3,
         "refused": [{"line": 2, "text": "a//b", "reason": "it matches no path"}],
         "hidden": 2, "paths": [
           {"path": "x/\\u001b[2J", "standing": "hidden", "directory": "d1"},
           {"path": "y", "standing": "orphaned", "directory": "d2"}],
         "orphaned": 1, "shadowed": 0,
         "replicated": 4, "replicated_complete": true, "replicated_paths": ["p", "q", "r", "s"]}
        """;
    assertEquals(
        """
          0 paths of fmd are local to this host (hypersync.ignore)
          hypersync.ignore: it is no regular file
          hypersync.ignore, line 2 is not used, it matches no path: a//b
          2 more lines of hypersync.ignore not used
          2 local names are hidden: no pattern matches any more. They are kept: \
        x/\\x1b[2J in /l/ignored/w/d1/names, 1 more
          1 local name is left of directories that another host removed. It is kept: \
        y in /l/ignored/w/d2/names
          4 paths match hypersync.ignore and stay replicated: p, q, r, 1 more. \
        What is removed and made again is local
        """,
        lines(ignored));
  }
}
