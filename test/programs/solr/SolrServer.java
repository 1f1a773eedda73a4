import org.apache.solr.embedded.JettyConfig;
import org.apache.solr.embedded.JettySolrRunner;

/** Serves the cores below a directory on a port of this machine: `SolrServer <directory> <port>`. */
public class SolrServer {
  public static void main(String[] args) throws Exception {
    JettyConfig config = JettyConfig.builder().setPort(Integer.parseInt(args[1])).build();
    new JettySolrRunner(args[0], config).start();
    Thread.currentThread().join();
  }
}
