/** What the server answers over HTTP: health, metrics and the status page. */
@NullMarked
package dev.oneroof.app.http;

import org.jspecify.annotations.NullMarked;
