//! Every entry of VALIDATION.md is within its tolerance.

#[test]
fn every_entry_is_within_its_tolerance() {
    let entries = poinsot_validation::entries();
    assert!(entries.len() > 100, "only {} entries", entries.len());
    let missed: Vec<_> = entries.iter().filter(|e| !e.passed).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}
