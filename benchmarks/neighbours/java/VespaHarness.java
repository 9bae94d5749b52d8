import com.yahoo.document.predicate.Conjunction;
import com.yahoo.document.predicate.FeatureRange;
import com.yahoo.document.predicate.FeatureSet;
import com.yahoo.document.predicate.Predicate;
import com.yahoo.search.predicate.Config;
import com.yahoo.search.predicate.Hit;
import com.yahoo.search.predicate.PredicateIndex;
import com.yahoo.search.predicate.PredicateIndexBuilder;
import com.yahoo.search.predicate.PredicateQuery;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Vespa's predicate-search: bounds of values given, the query made of a map inside the timed part, the cache rebuilt. */
@SuppressWarnings("removal")
final class VespaHarness implements Harness.Neighbour<Map<String, Object>> {

    private PredicateIndexBuilder builder;
    private PredicateIndex index;
    private PredicateIndex.Searcher searcher;

    VespaHarness(int arity) {
        Config config = new Config.Builder().setArity(arity).setLowerBound(0).setUpperBound(999).build();
        builder = new PredicateIndexBuilder(config);
    }

    @Override
    public void add(int id, List<String[]> predicates) {
        List<Predicate> operands = new ArrayList<>();
        for (String[] predicate : predicates) {
            String name = predicate[0];
            if (name.charAt(0) == 'r') {
                operands.add(new FeatureRange(name, Long.valueOf(predicate[1]), Long.valueOf(predicate[2])));
            } else {
                operands.add(new FeatureSet(name, Arrays.asList(predicate).subList(1, predicate.length)));
            }
        }
        builder.indexDocument(id, new Conjunction(operands));
    }

    @Override
    public void finish() {
        index = builder.build();
        builder = null;
        searcher = index.searcher();
    }

    @Override
    public Map<String, Object> prepare(Map<String, Object> event) {
        return event;
    }

    @Override
    public int[] ask(Map<String, Object> event) {
        PredicateQuery query = new PredicateQuery();
        for (Map.Entry<String, Object> entry : event.entrySet()) {
            Object value = entry.getValue();
            if (value instanceof Long number) {
                query.addRangeFeature(entry.getKey(), number);
            } else if (value instanceof String text) {
                query.addFeature(entry.getKey(), text);
            } else {
                for (Object member : (List<?>) value) {
                    query.addFeature(entry.getKey(), (String) member);
                }
            }
        }
        return searcher.search(query).mapToInt(Hit::getDocId).toArray();
    }

    @Override
    public void settle() {
        index.rebuildPostingListCache();
    }

    public static void main(String[] arguments) throws Exception {
        Harness.run(arguments, () -> new VespaHarness(Integer.parseInt(arguments[3])));
    }
}
