package dev.oneroof.embeddedpostgres;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Where a server listens and who may come in. The password is in no URL and in no text form of this record. */
public record ServerAddress(String host, int port, String user, String password) {

    /** Without user and password, so that it can be logged; pass those separately. */
    public String jdbcUrl(String database) {
        String name = URLEncoder.encode(database, StandardCharsets.UTF_8).replace("+", "%20");
        return "jdbc:postgresql://" + host + ":" + port + "/" + name;
    }

    @Override
    public String toString() {
        return "ServerAddress[host=" + host + ", port=" + port + ", user=" + user + ", password=***]";
    }
}
