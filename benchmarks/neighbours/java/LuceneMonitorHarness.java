import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.core.KeywordAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.Term;
import org.apache.lucene.monitor.MatchingQueries;
import org.apache.lucene.monitor.Monitor;
import org.apache.lucene.monitor.MonitorQuery;
import org.apache.lucene.monitor.Presearcher;
import org.apache.lucene.monitor.QueryMatch;
import org.apache.lucene.monitor.TermFilteredPresearcher;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;

/** Lucene Monitor: in memory, queries filtered by their terms; the document is made of a map inside the timed part. */
final class LuceneMonitorHarness implements Harness.Neighbour<Map<String, Object>> {

    private static final int BLOCK = 10_000;

    private final Presearcher presearcher = new TermFilteredPresearcher();
    private final Monitor monitor = new Monitor(new KeywordAnalyzer(), presearcher);
    private final List<MonitorQuery> waiting = new ArrayList<>();

    LuceneMonitorHarness() throws Exception {}

    @Override
    public void add(int id, List<String[]> predicates) throws Exception {
        BooleanQuery.Builder all = new BooleanQuery.Builder();
        for (String[] predicate : predicates) {
            all.add(query(predicate), Occur.MUST);
        }
        waiting.add(new MonitorQuery(Integer.toString(id), all.build()));
        if (waiting.size() == BLOCK) {
            finish();
        }
    }

    private static Query query(String[] predicate) {
        String name = predicate[0];
        if (name.charAt(0) == 'r') {
            return LongPoint.newRangeQuery(name, Long.parseLong(predicate[1]), Long.parseLong(predicate[2]));
        }
        if (predicate.length == 2) {
            return new TermQuery(new Term(name, predicate[1]));
        }
        BooleanQuery.Builder any = new BooleanQuery.Builder();
        for (int place = 1; place < predicate.length; place++) {
            any.add(new TermQuery(new Term(name, predicate[place])), Occur.SHOULD);
        }
        return any.build();
    }

    @Override
    public void finish() throws Exception {
        monitor.register(waiting);
        waiting.clear();
    }

    @Override
    public Map<String, Object> prepare(Map<String, Object> event) {
        return event;
    }

    @Override
    public int[] ask(Map<String, Object> event) throws Exception {
        Document document = new Document();
        for (Map.Entry<String, Object> entry : event.entrySet()) {
            Object value = entry.getValue();
            if (value instanceof Long number) {
                document.add(new LongPoint(entry.getKey(), number));
            } else if (value instanceof String text) {
                document.add(new StringField(entry.getKey(), text, Field.Store.NO));
            } else {
                for (Object member : (List<?>) value) {
                    document.add(new StringField(entry.getKey(), (String) member, Field.Store.NO));
                }
            }
        }
        MatchingQueries<QueryMatch> found = monitor.match(document, QueryMatch.SIMPLE_MATCHER);
        return found.getMatches().stream().mapToInt(match -> Integer.parseInt(match.getQueryId())).toArray();
    }

    public static void main(String[] arguments) throws Exception {
        Harness.run(arguments, LuceneMonitorHarness::new);
        System.exit(0); // the monitor has a thread that purges
    }
}
