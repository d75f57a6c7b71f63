/** Man pages and completions of shells, made from the definitions of the commands. */
@NullMarked
package io.hypersync.cli.manual;

import org.jspecify.annotations.NullMarked;
